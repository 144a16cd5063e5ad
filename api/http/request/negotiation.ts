import type { Request } from 'express';
import { DomainError } from '../../../domain/errors.ts';

/** The first of `types` is the default (RFC 9110, 12.5.1). The response needs the header `Vary: Accept`. */
export function acceptedType<Type extends string>(request: Request, types: readonly [Type, ...Type[]]): Type {
  // The service's text is UTF-8, so each type is also offered with `charset=utf-8`.
  const available = types.flatMap((type) => [type, `${type}; charset=utf-8`]);
  const chosen = request.accepts(available);
  const found = chosen === false ? undefined : types[Math.floor(available.indexOf(chosen) / 2)];
  if (found !== undefined) return found;
  throw new DomainError(
    'not-acceptable',
    `The response is available as ${types.join(' or ')}, but the Accept header allows none of these types.`,
  );
}
