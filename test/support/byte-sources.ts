/** The same piece again and again. */
function* repeated<T>(piece: T, times: number): Generator<T> {
  for (let i = 0; i < times; i++) yield piece;
}

/** The same text again and again, in pieces large enough that sending them isn't what takes the time. */
export function* repeatedText(text: string, times: number): Generator<string | Uint8Array> {
  const perPiece = Math.ceil(65_536 / text.length);
  const piece = Buffer.from(text.repeat(perPiece));
  yield* repeated(piece, Math.floor(times / perPiece));
  yield text.repeat(times % perPiece);
}

/** Bytes that look like nothing, and that are the same every time. */
export function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      // https://en.wikipedia.org/wiki/Linear_congruential_generator, with the constants of C++'s minstd_rand.
      state = (state * 48_271) % 2_147_483_647;
      return state >> 8;
    }),
  );
}
