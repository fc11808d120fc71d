/** A promise that a test settles by hand: what one side waits for, the other side says. */
export interface Signal<T = void> {
  readonly seen: Promise<T>;
  give(value: T): void;
}

export function signal<T = void>(): Signal<T> {
  let settle: (value: T) => void = () => {};
  const seen = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { seen, give: (value) => settle(value) };
}

/** Rejects instead of waiting on, so that a missing event fails with its name and not with the runner's timeout. */
export async function within<T>(
  milliseconds: number,
  what: string | (() => string),
  promise: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`not within ${milliseconds} ms: ${typeof what === 'string' ? what : what()}`));
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
