using System.Data.Common;

namespace Poolhouse.Data;

/// <summary>A user name and a password for one physical open. <c>ToString()</c> shows neither.</summary>
/// <param name="UserName">The user name; null keeps the one in the connection string.</param>
/// <param name="Password">The password or token; null keeps the one in the connection string.</param>
public sealed record DbCredential(string? UserName, string? Password)
{
    /// <summary>Identifies the credential: the pool treats a credential with another value as a new one.</summary>
    /// <value>
    /// <c>null</c> by default: user name and password are compared. Set it if each call returns another token for the same
    /// identity, such as a cloud provider's: then only a new value of this property makes the pool replace the connections opened
    /// before.
    /// </value>
    public string? Identity { get; init; }

    /// <summary>
    /// Sets on the provider's closed connection what its connection string cannot hold, such as SqlClient's <c>AccessToken</c> or
    /// <c>AccessTokenCallback</c>.
    /// </summary>
    /// <value><c>null</c> by default: nothing.</value>
    /// <remarks>
    /// Called before each physical open, also if the credential is used several times, from several threads at once; it must not
    /// open the connection. Two credentials with different delegates are different ones: set <see cref="Identity"/>.
    /// </remarks>
    public Action<DbConnection>? Configure { get; init; }

    /// <summary>Returns the name of the type, without any content.</summary>
    /// <returns>The name of the type.</returns>
    public override string ToString() => nameof(DbCredential);
}
