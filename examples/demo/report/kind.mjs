import { NEGOTIATIONS } from 'opentelemetry-instrumentation-mcp-http';

/** What a call is shown as: the layer at which it failed, or why it didn't. */
export const KINDS = {
  success: 'succeeded',
  transport: 'failed in transport',
  protocol: 'failed in the protocol',
  application: 'failed in the application',
  neither: 'neither succeeded nor failed',
};

/** @param call - a row, or what has the same `outcome`, `layer` and `detail` */
export function kindOf({ outcome, layer, detail }) {
  // Cancelled, unclassified, and what client and server settle between them: nobody's failure.
  if (outcome === 'CANCELLED' || outcome === 'UNCLASSIFIED' || NEGOTIATIONS.includes(detail))
    return 'neither';
  return layer ?? 'success';
}
