/** A client of ours playing one of the suite's client scenarios, and what is to come of it. */
export interface Play {
  readonly client: Client;
  readonly scenario: string;
  /** Of MCP, as the suite's `--spec-version` has it; `extension` for scenarios outside its revisions. */
  readonly revision: Revision;
  /** The MCP spans in the order in which they start: name, outcome, what of the stream or the failure is special. */
  readonly spans: readonly string[];
  /** Why spans with status ERROR are right here; of a scenario without such spans there is nothing to say. */
  readonly whyErrors?: string;
  /** Why the suite fails the client, with our package and without; absent where the client passes. */
  readonly whyFailed?: string;
}

export type Client = 'sdk-v1' | 'sdk-v2';
export type Revision = '2025-03-26' | '2025-11-25' | '2026-07-28' | 'extension';

const INITIALIZED = ['initialize SUCCESS', 'notifications/initialized ACCEPTED'];
/** What SDK v2 makes of a server of an earlier revision. */
const FALLEN_BACK = ['server/discover HTTP_ERROR (version)', ...INITIALIZED];
/** The server answers every method it doesn't know with an empty result, which says nothing of versions. */
const DISCOVERED_NOTHING = ['server/discover SUCCESS', ...INITIALIZED];
const DISCOVERED = ['server/discover SUCCESS'];
const LISTED_AND_CALLED = ['tools/list SUCCESS', 'tools/call test-tool TOOL_SUCCESS'];

/** The first request is challenged, and the user grants what is asked for. */
const CHALLENGED = {
  initialize: 'initialize HTTP_ERROR (authorization)',
  discover: 'server/discover HTTP_ERROR (authorization)',
};
const GRANTED = {
  'sdk-v1': [CHALLENGED.initialize, ...INITIALIZED, ...LISTED_AND_CALLED],
  'sdk-v2': [CHALLENGED.discover, ...FALLEN_BACK, ...LISTED_AND_CALLED],
};
const GRANTED_2026 = [CHALLENGED.discover, ...DISCOVERED, ...LISTED_AND_CALLED];
/** The client doesn't trust what it learns about the authorization server, and gives up. */
const DISTRUSTED = [CHALLENGED.discover];
/** A second grant for what the first didn't cover. */
const STEPPED_UP = ['tools/call test-tool HTTP_ERROR (authorization)', 'tools/call test-tool TOOL_SUCCESS'];
/** The server never has enough, and the client asks its user twice. */
const never = (method: string) => [
  `${method} HTTP_ERROR (authorization)`,
  `${method} HTTP_ERROR (authorization)`,
  `${method} HTTP_ERROR (authorization)`,
];

/** Scenarios with a user who grants what is asked for: they differ in what goes on beside the MCP calls. */
const GRANTS = [
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
];
const GRANTS_2026 = [
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/iss-supported',
  'auth/iss-not-advertised',
];
const DISTRUSTS_2026 = [
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
];
const GRANTS_2025_03 = [
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
];
/** Without a user: the client has a credential of its own. */
const MACHINES = ['auth/client-credentials-jwt', 'auth/client-credentials-basic', 'auth/wif-jwt-bearer'];
const TAMPERED_SKILLS = [
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-size',
  'sep-2640-client-verify-frontmatter',
];

const each = (
  scenarios: readonly string[],
  client: Client,
  revision: Revision,
  spans: readonly string[],
): Play[] => scenarios.map((scenario) => ({ client, scenario, revision, spans }));

const PLAYS_OF_V1: readonly Play[] = [
  ...each(['initialize'], 'sdk-v1', '2025-11-25', [...INITIALIZED, 'tools/list SUCCESS']),
  ...each(['tools_call'], 'sdk-v1', '2025-11-25', [
    ...INITIALIZED,
    'tools/list SUCCESS',
    'tools/call add_numbers TOOL_SUCCESS',
  ]),
  ...each(['elicitation-sep1034-client-defaults'], 'sdk-v1', '2025-11-25', [
    ...INITIALIZED,
    'tools/list SUCCESS',
    'tools/call test_client_elicitation_defaults TOOL_SUCCESS',
  ]),
  ...each(['sse-retry'], 'sdk-v1', '2025-11-25', [
    ...INITIALIZED,
    'tools/list SUCCESS',
    'tools/call test_reconnection TOOL_SUCCESS resumed 1',
  ]),
  ...each(['json-schema-2020-12-preservation'], 'sdk-v1', '2025-11-25', [
    ...INITIALIZED,
    'tools/list SUCCESS',
    'tools/call json_schema_echo TOOL_SUCCESS',
  ]),
  ...each(GRANTS, 'sdk-v1', '2025-11-25', GRANTED['sdk-v1']),
  ...each(GRANTS_2025_03, 'sdk-v1', '2025-03-26', GRANTED['sdk-v1']),
  ...each(MACHINES, 'sdk-v1', 'extension', GRANTED['sdk-v1']),
  ...each(['auth/scope-step-up'], 'sdk-v1', '2025-11-25', [
    ...INITIALIZED,
    'tools/list HTTP_ERROR (authorization)',
    'tools/list SUCCESS',
    ...STEPPED_UP,
  ]),
  ...each(['auth/scope-retry-limit'], 'sdk-v1', '2025-11-25', [...INITIALIZED, ...never('tools/list')]),
];

const PLAYS_OF_V2_BEFORE_2026: readonly Play[] = [
  ...each(['initialize'], 'sdk-v2', '2025-11-25', DISCOVERED_NOTHING),
  ...each(['tools_call'], 'sdk-v2', '2025-11-25', [
    ...FALLEN_BACK,
    'tools/list SUCCESS',
    'tools/call add_numbers TOOL_SUCCESS',
  ]),
  ...each(['elicitation-sep1034-client-defaults'], 'sdk-v2', '2025-11-25', [
    ...FALLEN_BACK,
    'tools/list SUCCESS',
    'tools/call test_client_elicitation_defaults TOOL_SUCCESS',
  ]),
  ...each(['sse-retry'], 'sdk-v2', '2025-11-25', [
    ...DISCOVERED_NOTHING,
    'tools/list SUCCESS',
    'tools/call test_reconnection TOOL_SUCCESS resumed 1',
  ]),
  ...each(GRANTS_2025_03, 'sdk-v2', '2025-03-26', GRANTED['sdk-v2']),
  ...each(['auth/metadata-default'], 'sdk-v2', '2025-11-25', GRANTED['sdk-v2']),
  ...each(
    [...MACHINES, 'auth/enterprise-managed-authorization', 'auth/dpop'],
    'sdk-v2',
    'extension',
    GRANTED['sdk-v2'],
  ),
  {
    client: 'sdk-v2',
    scenario: 'auth/dpop-nonce',
    revision: 'extension',
    spans: [CHALLENGED.discover, 'server/discover HTTP_ERROR ERROR', ...FALLEN_BACK, ...LISTED_AND_CALLED],
    whyErrors: 'the server refuses a token that it granted, for want of a nonce it names only then',
  },
  ...each(['sep-2640-client-no-prefetch'], 'sdk-v2', 'extension', [...DISCOVERED, 'skills/list SUCCESS']),
  ...each(TAMPERED_SKILLS, 'sdk-v2', 'extension', [
    ...DISCOVERED,
    'skills/list SUCCESS',
    'resources/read SUCCESS',
  ]),
];

const PLAYS_OF_V2: readonly Play[] = [
  ...each(['tools_call'], 'sdk-v2', '2026-07-28', [
    ...DISCOVERED,
    'tools/list SUCCESS',
    'tools/call add_numbers TOOL_SUCCESS',
  ]),
  ...each(['request-metadata'], 'sdk-v2', '2026-07-28', [
    'server/discover HTTP_ERROR (version)',
    'server/discover SUCCESS',
  ]),
  {
    client: 'sdk-v2',
    scenario: 'sep-2322-client-request-state',
    revision: '2026-07-28',
    spans: [
      ...DISCOVERED,
      'tools/list SUCCESS',
      'tools/call test_mrtr_echo_state INPUT_REQUIRED',
      'tools/call test_mrtr_echo_state TOOL_SUCCESS',
      'tools/call test_mrtr_no_state INPUT_REQUIRED',
      'tools/call test_mrtr_no_state TOOL_SUCCESS',
      'tools/call test_mrtr_unrelated TOOL_SUCCESS',
      'tools/call test_mrtr_no_result_type TOOL_SUCCESS',
    ],
    whyFailed: 'SDK v2 insists on a resultType, where the suite counts on the default',
  },
  ...each(['http-standard-headers'], 'sdk-v2', '2026-07-28', [
    ...DISCOVERED,
    'tools/list SUCCESS',
    'tools/call test_headers TOOL_SUCCESS',
    'tools/call my-hyphenated-tool TOOL_SUCCESS',
    'resources/list SUCCESS',
    'resources/read SUCCESS',
    'resources/read SUCCESS',
    'prompts/list SUCCESS',
    'prompts/get test_prompt SUCCESS',
  ]),
  ...each(['http-custom-headers'], 'sdk-v2', '2026-07-28', [
    ...DISCOVERED,
    'tools/list SUCCESS',
    'tools/call test_custom_headers TOOL_SUCCESS',
    'tools/call test_custom_headers_null TOOL_SUCCESS',
  ]),
  ...each(['http-invalid-tool-headers'], 'sdk-v2', '2026-07-28', [
    ...DISCOVERED,
    'tools/list SUCCESS',
    'tools/call valid_tool TOOL_SUCCESS',
  ]),
  ...each(['json-schema-ref-no-deref'], 'sdk-v2', '2026-07-28', [...DISCOVERED, 'tools/list SUCCESS']),
  ...each(['json-schema-2020-12-preservation'], 'sdk-v2', '2026-07-28', [
    ...DISCOVERED,
    'tools/list SUCCESS',
    'tools/call json_schema_echo TOOL_SUCCESS',
  ]),
  ...each([...GRANTS, ...GRANTS_2026], 'sdk-v2', '2026-07-28', GRANTED_2026),
  ...each(DISTRUSTS_2026, 'sdk-v2', '2026-07-28', DISTRUSTED),
  ...each(['auth/scope-step-up'], 'sdk-v2', '2026-07-28', [
    CHALLENGED.discover,
    ...DISCOVERED,
    'tools/list SUCCESS',
    ...STEPPED_UP,
  ]),
  ...each(['auth/scope-retry-limit'], 'sdk-v2', '2026-07-28', never('server/discover')),
  {
    client: 'sdk-v2',
    scenario: 'auth/authorization-server-migration',
    revision: '2026-07-28',
    spans: [CHALLENGED.discover, ...DISCOVERED, 'tools/list HTTP_ERROR ERROR', ...LISTED_AND_CALLED],
    whyErrors: 'the server withdraws the token that it took for the call before',
  },
];

export const PLAYS: readonly Play[] = [...PLAYS_OF_V1, ...PLAYS_OF_V2_BEFORE_2026, ...PLAYS_OF_V2];

/** What a client can't play. There is no scenario that neither can. */
export const NOT_PLAYED: readonly { client: Client; scenarios: readonly string[]; why: string }[] = [
  {
    client: 'sdk-v1',
    why: 'of 2026-07-28, which SDK v1 does not speak',
    scenarios: [
      'request-metadata',
      'sep-2322-client-request-state',
      'http-standard-headers',
      'http-custom-headers',
      'http-invalid-tool-headers',
      'json-schema-ref-no-deref',
      'auth/authorization-server-migration',
      ...GRANTS_2026,
      ...DISTRUSTS_2026,
    ],
  },
  {
    client: 'sdk-v1',
    why: 'SDK v1 has no token exchange for an identity grant',
    scenarios: ['auth/enterprise-managed-authorization'],
  },
  {
    client: 'sdk-v1',
    why: 'SDK v1 has no proofs of possession',
    scenarios: ['auth/dpop', 'auth/dpop-nonce'],
  },
  {
    client: 'sdk-v1',
    why: 'SDK v1 has no skills',
    scenarios: ['sep-2640-client-no-prefetch', ...TAMPERED_SKILLS],
  },
];
