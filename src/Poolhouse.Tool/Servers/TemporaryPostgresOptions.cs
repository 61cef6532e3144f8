namespace Poolhouse.Tool.Servers;

/// <summary>The settings of a <see cref="TemporaryPostgres"/>.</summary>
internal sealed class TemporaryPostgresOptions
{
    /// <summary>The name of the superuser.</summary>
    public string User { get; init; } = "poolhouse";

    /// <summary>
    /// The password of the superuser; random by default, because a superuser can run programs as the server's account.
    /// </summary>
    public string Password { get; init; } = ServerPassword.Create();

    /// <summary>How many connections the server takes, three for superusers among them.</summary>
    public int MaxConnections { get; init; } = 100;

    /// <summary>
    /// Settings of postgresql.conf beside or instead of those for speed, for instance <c>idle_session_timeout</c>.
    /// </summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);
}
