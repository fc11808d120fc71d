import * as undici from 'undici5';
import { describe } from 'vitest';
import type { Undici } from './senders.js';
import { describeTransports } from './transports.js';

describe('undici 5 from npm', () => describeTransports(undici as unknown as Undici));
