import type { RequestHandler } from 'express';
import { invalid } from './invalid.ts';

/** Characters that mean the same with and without percent-encoding (RFC 3986, 2.3). */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** Clients that treat the service as a proxy send a whole URL. */
export function pathOf(target: string): string {
  const [plain = ''] = target.split('#', 1);
  const [, path] = /^https?:\/\/[^/?]*(.*)$/i.exec(plain) ?? [];
  return path === undefined || path.startsWith('/') ? (path ?? plain) : `/${path}`;
}

/** Removes needless percent-encoding, so that Express can match the path. */
export const plainPath: RequestHandler = (request, response, next) => {
  const { url } = request;
  const [path = ''] = url.split('?', 1);
  response.locals.path = path;
  if (path.includes('%')) {
    try {
      decodeURIComponent(path);
    } catch {
      throw invalid([{ pointer: '/path', detail: 'must be percent-encoded UTF-8' }]);
    }
    request.url = path.replace(UNRESERVED, decodeURIComponent) + url.slice(path.length);
    // The validator matches operations by `originalUrl`.
    request.originalUrl = request.url;
  }
  next();
};
