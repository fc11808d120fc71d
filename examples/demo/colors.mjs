import pc from 'picocolors';

/**
 * Colours, where the output is a terminal that has them. Without the question whether this is CI, which picocolors'
 * own rule has: a log file is no terminal.
 * @see https://no-color.org and https://force-color.org
 */
export function colorsFor(stream, env) {
  return pc.createColors(wantsColor(stream, env));
}

function wantsColor(stream, env) {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
