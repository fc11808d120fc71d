/** The scope of spans and metrics. */
export const NAME = 'opentelemetry-instrumentation-mcp-http';
/** The package's version; a test keeps it equal to package.json's. */
export const VERSION = '0.1.0';
