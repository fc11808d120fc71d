/** The streams open now on which answers to requests sent before may come. */
export interface AnswerStreams {
  opened(endpoint: string, sessionId: string | undefined): void;
  closed(endpoint: string, sessionId: string | undefined): void;
  isOpen(endpoint: string, sessionId: string | undefined): boolean;
}

export function answerStreams(): AnswerStreams {
  const counts = new Map<string, number>();
  const keyOf = (endpoint: string, sessionId: string | undefined) => `${endpoint}\n${sessionId ?? ''}`;

  return {
    opened(endpoint, sessionId) {
      const key = keyOf(endpoint, sessionId);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    closed(endpoint, sessionId) {
      const key = keyOf(endpoint, sessionId);
      const left = (counts.get(key) ?? 0) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
    isOpen: (endpoint, sessionId) => counts.has(keyOf(endpoint, sessionId)),
  };
}
