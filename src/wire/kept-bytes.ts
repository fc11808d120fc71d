const NOTHING = Buffer.alloc(0);

/**
 * Bytes that are kept for later, in one piece. A chunk is as small as its sender likes, down to one byte, and a list of
 * such chunks takes a hundred times what is in them.
 */
export class KeptBytes {
  #held = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Takes a copy: the application may write into its chunk, or transfer it to a worker. */
  add(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#length * 2));
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    this.#held.set(chunk, this.#length);
    this.#length = needed;
  }

  /** Hands over what has been kept, and begins anew. */
  take(): Buffer {
    const taken = this.#held.subarray(0, this.#length);
    this.#held = NOTHING;
    this.#length = 0;
    return taken;
  }
}
