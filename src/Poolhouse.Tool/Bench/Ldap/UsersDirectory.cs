namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A directory of the user's, of which the root entry is read and nothing else.</summary>
internal sealed class UsersDirectory(LdapTarget target) : LdapDirectory
{
    public override LdapTarget Target => target;

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
