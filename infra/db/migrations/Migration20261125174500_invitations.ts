import { Migration } from '@mikro-orm/migrations';

export class Migration20261125174500_invitations extends Migration {
  override up(): void {
    this.addSql(`
      create table invitations (
        token_hash text not null primary key,
        invitation_id text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        used_at timestamptz(3) null
      )`);
    this.addSql('create index invitations_expires on invitations (expires_at)');
  }
}
