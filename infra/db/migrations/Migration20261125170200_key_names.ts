import { Migration } from '@mikro-orm/migrations';

export class Migration20261125170200_key_names extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column name text, add column last_used_at timestamptz(3)');
  }
}
