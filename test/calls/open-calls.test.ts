import { beforeEach, describe, expect, it } from 'vitest';
import { type OpenCall, type OpenCalls, openCalls } from '../../src/calls/open-calls.js';
import type { RequestId } from '../../src/protocol/index.js';

const HERE = 'http://mcp.test/mcp';

let open: OpenCalls;
let log: string[];

beforeEach(() => {
  open = openCalls(3);
  log = [];
});

interface Fields {
  readonly endpoint?: string;
  readonly sessionId?: string;
  readonly id?: RequestId;
  readonly waiting?: boolean;
}

function call(name: string, { endpoint = HERE, sessionId, id, waiting = false }: Fields = {}): OpenCall {
  const logged = (what: string) => () => {
    log.push(`${what} ${name}`);
  };
  return {
    endpoint,
    sessionId,
    id,
    waiting,
    evict: logged('evict'),
    close: logged('close'),
    cancel: logged('cancel'),
    abandon: logged('abandon'),
    answer: logged('answer'),
    answerUnclear: logged('answerUnclear'),
  };
}

function added(name: string, fields?: Fields): OpenCall {
  const made = call(name, fields);
  open.add(made);
  return made;
}

describe('beyond the limit', () => {
  it('the oldest is evicted, one for each that is added', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) added(name);
    expect(log).toEqual(['evict a', 'evict b']);
    expect(open.size).toBe(3);
  });

  it('what has ended makes room', () => {
    const [, b] = ['a', 'b', 'c'].map((name) => added(name));
    if (b !== undefined) open.delete(b);
    added('d');
    expect(log).toEqual([]);
    added('e');
    expect(log).toEqual(['evict a']);
  });

  it('who is evicted is gone: deleting it again, as its end does, is harmless', () => {
    const first = added('a', { id: 1 });
    first.evict = () => open.delete(first);
    for (const name of ['b', 'c', 'd']) added(name, { id: 1 });
    open.delete(first);
    expect(open.size).toBe(3);
    expect(open.find(HERE, undefined, 1)).toHaveLength(3);
  });

  it('one call may be evicted by the only other that there is room for', () => {
    open = openCalls(1);
    added('a');
    added('b');
    expect(log).toEqual(['evict a']);
    expect(open.size).toBe(1);
  });
});

describe('the calls that a message may mean', () => {
  it.each([
    ['the one with its id', { id: 1 }, 1, true],
    ['not one with another id', { id: 2 }, 1, false],
    ['ids are compared strictly', { id: '1' }, 1, false],
    ['0 is an id', { id: 0 }, 0, true],
    ['an empty text is an id', { id: '' }, '', true],
    ['not one at another endpoint', { id: 1, endpoint: `${HERE}/other` }, 1, false],
    ['not one in another session', { id: 1, sessionId: 's' }, 1, false],
    ['not a notification', {}, 1, false],
  ] as const)('%s', (_, fields, id, found) => {
    const made = added('a', fields);
    expect(open.find(HERE, undefined, id)).toEqual(found ? [made] : []);
  });

  it('are all that could be meant, oldest first', () => {
    const made = ['a', 'b'].map((name) => added(name, { id: 1 }));
    added('c', { id: 1, sessionId: 's' });
    expect(open.find(HERE, undefined, 1)).toEqual(made);
  });

  it('are no more when they have ended', () => {
    const made = added('a', { id: 1 });
    open.delete(made);
    expect(open.find(HERE, undefined, 1)).toEqual([]);
  });

  it('are no more when they were evicted', () => {
    added('a', { id: 1 });
    for (const name of ['b', 'c', 'd']) added(name);
    expect(open.find(HERE, undefined, 1)).toEqual([]);
  });
});

describe('the calls that wait for an answer elsewhere', () => {
  it('are those of this endpoint and session whose exchange has ended', () => {
    open = openCalls(10);
    const waiting = added('a', { waiting: true, sessionId: 's' });
    added('b', { sessionId: 's' });
    added('c', { waiting: true, sessionId: 't' });
    added('d', { waiting: true, sessionId: 's', endpoint: `${HERE}/other` });
    expect(open.waitingAt(HERE, 's')).toEqual([waiting]);
  });
});

describe('closing all', () => {
  it('closes each once, oldest first, also those that end others', () => {
    const first = added('a');
    const second = added('b');
    first.close = () => {
      log.push('close a');
      open.delete(second);
      second.close();
      second.close = () => {};
    };
    open.closeAll();
    open.closeAll();
    expect(log).toEqual(['close a', 'close b']);
    expect(open.size).toBe(0);
  });
});
