import { LOGIN_SCOPES } from '../../../domain/auth.ts';
import type { Services } from '../../../infra/services.ts';
import { GRANTS } from './model.ts';

/** Authorization server metadata (RFC 8414). */
export function authorizationServerMetadata({ config }: Pick<Services, 'config'>) {
  const issuer = config.api.publicUrl;
  const endpoint = (name: string) => `${issuer}/api/v1/auth/${name}`;
  const withSecret = ['client_secret_post', 'client_secret_basic'];
  return {
    issuer,
    authorization_endpoint: endpoint('authorize'),
    token_endpoint: endpoint('token'),
    token_endpoint_auth_methods_supported: [...withSecret, 'none'],
    revocation_endpoint: endpoint('revoke'),
    revocation_endpoint_auth_methods_supported: [...withSecret, 'none'],
    introspection_endpoint: endpoint('introspect'),
    introspection_endpoint_auth_methods_supported: withSecret,
    scopes_supported: [...LOGIN_SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...GRANTS],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true as const,
    service_documentation: `${issuer}/docs`,
  };
}
