// For nginx.conf. njs 0.7.9 has no destructuring, no spread and no `for … of`.

/** The client's certificate as RFC 9440 wants it. Empty if there is none, so that nginx sends no header. */
function clientCert(r) {
  const pem = r.variables.ssl_client_raw_cert;
  return pem ? `:${pem.replace(/-----[A-Z ]+-----|\s/g, '')}:` : '';
}

/** As `addressGroup` in infra/limits/: for IPv6 the /64 network, because a provider assigns no smaller one. */
function addressGroup(r) {
  const address = r.variables.remote_addr.replace(/^::ffff:(?=\d+\.)/i, '');
  if (address.indexOf(':') === -1) return address;
  const halves = address.split('::');
  const first = halves[0] === '' ? [] : halves[0].split(':');
  const last = halves.length < 2 || halves[1] === '' ? [] : halves[1].split(':');
  const zeros = [];
  for (let left = 8 - first.length - last.length; left > 0; left -= 1) zeros.push('0');
  return first.concat(zeros, last).slice(0, 4).join(':');
}

/** Titles are those of api/http/reply/problems/. */
const PROBLEMS = {
  400: ['invalid-request', 'The request does not match the contract', 'The request is not valid HTTP, or not HTTPS.'],
  401: [
    'client-certificate-missing',
    'The request has no valid client certificate',
    'The client certificate of this connection is not valid, for example because it has expired.',
  ],
  404: ['not-found', 'Not found', 'Nothing exists at this URL.'],
  405: ['method-not-allowed', 'The method is not allowed here', 'This server does not accept this method.'],
  413: ['body-too-large', 'The body is too large', 'The body is larger than this operation accepts.'],
  429: ['rate-limited', 'Too many requests', 'Too many requests came from this network. Try again in 5 seconds.'],
  431: [
    'headers-too-large',
    'The headers are too large',
    'The headers and the URL together are larger than the limit of 16 KiB. Send fewer or shorter headers.',
  ],
  503: [
    'dependency-unavailable',
    'A dependency of the service is not available',
    'The API is not reachable or is too busy. Try again in 5 seconds.',
  ],
};
/** As in nginx.conf. */
const RETRY_AFTER_S = 5;
const UPLOAD = '/api/v1/legacy/payslip/upload';

/** The document of an error (RFC 9457), as in api/http/reply/problem-document.ts. */
function problem(r) {
  const status = Number(r.variables.status);
  const known = PROBLEMS[status] || PROBLEMS[503];
  const path = (r.variables.request_uri || '/').split('?')[0];
  const requestId = r.variables.shown_request_id;
  const body = {
    type: `/problems/${known[0]}`,
    title: known[1],
    status,
    detail: known[2],
    instance: `${path.slice(0, 500)}#${requestId}`,
    code: known[0],
  };
  if (status === 413) body.limit = path === UPLOAD ? 5308416 : 1048576;
  if (status === 503) body.dependency = 'api';
  if (status === 429 || status === 503) body.retry_after = RETRY_AFTER_S;
  return JSON.stringify(body);
}

export default { addressGroup, clientCert, problem };
