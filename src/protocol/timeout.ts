/**
 * `true` for a text by which a client says that its patience ended: SDKs give it as the reason of an abort ("Request
 * timed out") or of a cancel notice.
 */
export function saysTimeout(text: string): boolean {
  return /timed[ -]?out|timeout/i.test(text);
}
