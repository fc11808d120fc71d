import { createRequire } from 'node:module';
import { describe } from 'vitest';
import type { Undici } from './senders.js';
import { describeTransports } from './transports.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const runs = major > 22 || (major === 22 && minor >= 19);

describe.skipIf(!runs)(`undici 8 from npm${runs ? '' : ' (needs Node 22.19)'}`, () => {
  // Loaded only where it can be: it uses what older Nodes don't have.
  if (runs) describeTransports(createRequire(__filename)('undici8') as Undici);
});
