import { Migration } from '@mikro-orm/migrations';

/** The operator's name for an API key, and the hour of its last use. */
export class Migration20261125170200_key_names extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column name text, add column last_used_at timestamptz(3)');
  }
}
