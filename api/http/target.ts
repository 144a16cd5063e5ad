import type { RequestHandler } from 'express';
import { invalid } from './invalid.ts';

/** RFC 3986, 2.3: what may be sent percent-encoded and means the same without. */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** A request's target as a path with its query, where the sender takes us for a proxy and sends a whole address. */
export function pathOf(target: string): string {
  const [plain = ''] = target.split('#', 1);
  const [, rest] = /^https?:\/\/[^/?]*(.*)$/i.exec(plain) ?? [];
  return rest === undefined || rest.startsWith('/') ? (rest ?? plain) : `/${rest}`;
}

/**
 * Keeps the path as it was sent for problem documents, and lets Express match it without needless percent-encoding.
 * @throws DomainError `invalid-request` for a path that is not percent-encoded UTF-8.
 */
export const plainPath: RequestHandler = (request, response, next) => {
  const { url } = request;
  const [path = ''] = url.split('?', 1);
  response.locals.path = path;
  if (path.includes('%')) {
    if (!isDecodable(path)) throw invalid([{ pointer: '/path', detail: 'must be percent-encoded UTF-8' }]);
    request.url = path.replace(UNRESERVED, decodeURIComponent) + url.slice(path.length);
    // The validator matches by this one.
    request.originalUrl = request.url;
  }
  next();
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
