import type { Request } from 'express';
import { DomainError } from '../../domain/errors.ts';

/**
 * The one of `types` that the `Accept` header prefers (RFC 9110, 12.5.1). Without a preference it is the first of them. An answer
 * that was picked this way says `Vary: Accept`.
 * @throws DomainError `not-acceptable` when the header takes none of them.
 */
export function acceptedType<Type extends string>(request: Request, types: readonly [Type, ...Type[]]): Type {
  // All text of the service is UTF-8. A client that accepts UTF-8 accepts all of the text.
  const available = types.flatMap((type) => [type, `${type}; charset=utf-8`]);
  const chosen = request.accepts(available);
  const found = chosen === false ? undefined : types[Math.floor(available.indexOf(chosen) / 2)];
  if (found !== undefined) return found;
  throw new DomainError(
    'not-acceptable',
    `The answer is available as ${types.join(' or ')}, but the Accept header allows none of these types.`,
  );
}
