import { Migration } from '@mikro-orm/migrations';

/** What an operator calls an API key, and the hour in which it was used last. */
export class Migration20261125170200_key_names extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column name text, add column last_used_at timestamptz(3)');
  }
}
