import * as undici from 'undici6';
import { describe } from 'vitest';
import type { Undici } from './senders.js';
import { describeTransports } from './transports.js';

describe('undici 6 from npm', () => describeTransports(undici as unknown as Undici));
