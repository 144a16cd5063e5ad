export interface Pass {
  says: string;
  as: 'key' | 'user';
  /** Ids of operations. An empty `only` means all. */
  only: readonly string[];
  without: readonly string[];
}

// In an earlier pass, the moved clock would change the responses of later passes.
const CLOCK = 'moveClock';

export const PASSES: Readonly<Record<string, Pass>> = {
  key: { says: 'with an API key of every scope and a client certificate', as: 'key', only: [], without: [CLOCK] },
  user: { says: "with a user's token", as: 'user', only: [], without: [CLOCK] },
  clock: { says: 'with the clock moved about', as: 'key', only: [CLOCK], without: [] },
};

interface Configured {
  hooks: string;
  url: string;
  ca: string;
  pki: (file: string) => string;
  seed: number;
  cases: number;
  seconds: number | undefined;
}

/** A valid request can still break a rule or name a missing resource. */
const RIGHT_FORM = [200, 201, 202, 204, 303, 304, 400, 401, 403, 404, 406, 409, 410, 412, 415, 422, 429, 431];

const WRONG_FORM = [400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 431];

export function configOf({ hooks, url, ca, pki, seed, cases, seconds }: Configured): string {
  const text = JSON.stringify;
  return `
seed = ${seed}
${seconds === undefined ? '' : `max-time = ${seconds}`}
hooks = ${text(hooks)}
base-url = ${text(url)}
tls-verify = ${text(ca)}
request-cert = ${text(pki('vault-client.crt'))}
request-cert-key = ${text(pki('vault-client.key'))}
request-timeout = 60
max-redirects = 0
continue-on-failure = true
suppress-health-check = ["all"]
workers = 1
color = false

# Schemathesis does not register a user, because the hooks add the credentials of each pass.
[auth]
auto-signup = false

[cache]
enabled = false

[output.sanitization]
enabled = true

[generation]
max-examples = ${cases}
database = "none"

[phases.stateful.generation]
max-examples = ${cases}

# Making strings of 16,384 characters that match a pattern takes Schemathesis longer than all other operations together.
[[operations]]
include-operation-id = "verifyPresentedCredential"
phases.coverage.enabled = false

# An invalid request is redirected to the client with an error (RFC 6749 section 4.1.2.1).
[[operations]]
include-operation-id = "authorize"
checks.negative_data_rejection.expected-statuses = [303, ${WRONG_FORM.join(', ')}]

# Every field of a form is text. Schemathesis sends null as the text "null", which is a valid owner id.
[[operations]]
include-operation-id = "uploadPayslip"
checks.negative_data_rejection.expected-statuses = [200, 201, 202, ${WRONG_FORM.join(', ')}]

[checks]
positive_data_acceptance.expected-statuses = [${RIGHT_FORM.join(', ')}]
negative_data_rejection.expected-statuses = [${WRONG_FORM.join(', ')}]
# The hooks add credentials to every request, so these two checks would find false faults.
ignored_auth.enabled = false
missing_required_header.enabled = false
`;
}

/** Lookaheads at the beginning of a pattern, with at most one level of brackets inside. */
const LOOKS_AHEAD = /^\^(?:\(\?[=!](?:[^()[\]]|\[(?:\\.|[^\]])*\]|\((?:[^()[\]]|\[(?:\\.|[^\]])*\])*\))*\))+/;
const EMAIL = '^[a-z0-9]{1,60}@[a-z0-9]{1,60}\\.test$';

/**
 * Removes lookaheads, and simplifies the pattern for email addresses. Schemathesis would search for hours for the longest
 * text that matches them.
 */
export function contractFor(bundle: string): string {
  const contract = JSON.parse(bundle, (name, value: unknown) =>
    name === 'pattern' && typeof value === 'string' ? value.replace(LOOKS_AHEAD, '^') : value,
  ) as Contract;
  contract.components.schemas.UserEmail.properties.email.pattern = EMAIL;
  return JSON.stringify(contract);
}

interface Contract {
  components: { schemas: { UserEmail: { properties: { email: { pattern: string } } } } };
}
