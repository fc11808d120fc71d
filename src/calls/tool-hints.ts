import type { ToolHints } from '../protocol/index.js';

/** What servers have said of their tools, by endpoint and session. */
export interface KnownTools {
  learn(endpoint: string, sessionId: string | undefined, tools: readonly ToolHints[]): void;
  /** `false` also for a tool that nobody has listed: unknown side effects are not assumed away. */
  isRepeatable(endpoint: string, sessionId: string | undefined, tool: string): boolean;
}

/**
 * @param limit - of tools remembered; the oldest are forgotten first
 */
export function knownTools(limit: number): KnownTools {
  const repeatable = new Map<string, boolean>();
  const keyOf = (endpoint: string, sessionId: string | undefined, tool: string) =>
    `${endpoint}\n${sessionId ?? ''}\n${tool}`;

  return {
    learn(endpoint, sessionId, tools) {
      for (const tool of tools.slice(0, limit)) {
        const key = keyOf(endpoint, sessionId, tool.name);
        repeatable.delete(key);
        repeatable.set(key, tool.repeatable);
      }
      for (const oldest of repeatable.keys()) {
        if (repeatable.size <= limit) break;
        repeatable.delete(oldest);
      }
    },
    isRepeatable: (endpoint, sessionId, tool) => repeatable.get(keyOf(endpoint, sessionId, tool)) === true,
  };
}
