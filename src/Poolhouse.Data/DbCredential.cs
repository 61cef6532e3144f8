namespace Poolhouse.Data;

/// <summary>A user name and a password, for one physical open. Its text shows neither.</summary>
/// <param name="UserName">The user; null leaves the one of the connection string.</param>
/// <param name="Password">The password or token; null leaves the one of the connection string.</param>
public sealed record DbCredential(string? UserName, string? Password)
{
    /// <summary>What tells one credential from the next.</summary>
    /// <value>
    /// <c>null</c> by default: user name and password. Set it where each call gives another token for the same identity, such as a cloud
    /// provider's: then only a new value here makes the pool replace the connections opened before.
    /// </value>
    public string? Identity { get; init; }

    /// <summary>Says that this is a credential, and nothing else.</summary>
    /// <returns>The name of the type.</returns>
    public override string ToString() => nameof(DbCredential);
}
