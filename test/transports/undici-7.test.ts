import * as undici from 'undici7';
import { describe } from 'vitest';
import type { Undici } from './senders.js';
import { describeTransports } from './transports.js';

describe('undici 7 from npm', () => describeTransports(undici as unknown as Undici));
