namespace Poolhouse.Data;

/// <summary>A user name and a password, for one physical open. Its text shows neither.</summary>
/// <param name="UserName">The user; null leaves the one of the connection string.</param>
/// <param name="Password">The password or token; null leaves the one of the connection string.</param>
public sealed record DbCredential(string? UserName, string? Password)
{
    /// <summary>Says that this is a credential, and nothing else.</summary>
    /// <returns>The name of the type.</returns>
    public override string ToString() => nameof(DbCredential);
}
