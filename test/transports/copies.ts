import type { Undici } from './senders.js';

// Its `engines` say >=22.19.0; an older Node can't even load it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
export const SERVES_UNDICI_8 = major > 22 || (major === 22 && minor >= 19);

export async function undici8(): Promise<Undici> {
  return (await import('undici8')) as unknown as Undici;
}
