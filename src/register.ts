/**
 * A ready tracing setup for `node --import opentelemetry-instrumentation-mcp-http/register app.js`: a NodeSDK with this
 * instrumentation and instrumentation-undici, configured by the standard `OTEL_*` variables.
 * Needs `@opentelemetry/sdk-node` and `@opentelemetry/instrumentation-undici` to be installed. Never throws: an
 * application must not fail to start over its telemetry.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
import { DiagConsoleLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import { McpHttpInstrumentation } from './instrumentation.js';
import { NAME } from './version.js';

interface Sdk {
  shutdown(): Promise<void>;
}

type Resources = typeof import('@opentelemetry/sdk-node').resources;
/** From 0.300 on it hands on no `resources`. */
type SdkNode = Omit<typeof import('@opentelemetry/sdk-node'), 'resources'> & { resources?: Resources };

/**
 * The default of sdk-node 0.2xx, and an id: counters of two processes of one service must not overwrite each other. From
 * 0.300 on that is the default itself.
 */
function detectorsOf(resources: Resources) {
  // The id first, since OTEL_RESOURCE_ATTRIBUTES may name one: the later detector wins.
  return [
    resources.serviceInstanceIdDetector,
    resources.envDetector,
    resources.processDetector,
    resources.hostDetector,
  ];
}

function startSdk(): Sdk {
  const { NodeSDK, resources } = require('@opentelemetry/sdk-node') as SdkNode;
  const { UndiciInstrumentation } =
    require('@opentelemetry/instrumentation-undici') as typeof import('@opentelemetry/instrumentation-undici');
  const mcp = new McpHttpInstrumentation();
  const sdk = new NodeSDK({
    ...(resources !== undefined &&
      !process.env['OTEL_NODE_RESOURCE_DETECTORS'] && { resourceDetectors: detectorsOf(resources) }),
    instrumentations: [mcp, new UndiciInstrumentation({ requestHook: mcp.httpSpanHook })],
  });
  sdk.start();
  return {
    async shutdown() {
      // Ends the spans of open calls, while there is still somebody to export them.
      mcp.disable();
      await sdk.shutdown();
    },
  };
}

/** Exports what is left when the process ends by itself or is told to. */
function flushAtEnd(sdk: Sdk): void {
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= sdk
      .shutdown()
      .catch((error: unknown) => diag.error(`${NAME}: the last spans were lost`, error));
    return ended;
  };
  process.once('beforeExit', end);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // Before the application's listeners, since one that it added with `once` is gone after it has run.
    process.prependOnceListener(signal, () => {
      // A listener takes the signal's default away: give it back unless the application has one of its own.
      const alone = process.listenerCount(signal) === 0;
      void end().then(() => alone && process.kill(process.pid, signal));
    });
  }
}

try {
  flushAtEnd(startSdk());
} catch (error) {
  if (process.env['OTEL_LOG_LEVEL'] === undefined)
    diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.ERROR);
  diag.error(
    `${NAME}/register: no telemetry. Install @opentelemetry/sdk-node and @opentelemetry/instrumentation-undici.`,
    error,
  );
}
