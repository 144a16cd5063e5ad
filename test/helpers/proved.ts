import { textQuery } from './text-query.ts';

export const markProved = textQuery('test.markProved', 'update users set email_verified_at = now() where user_id = $1');
