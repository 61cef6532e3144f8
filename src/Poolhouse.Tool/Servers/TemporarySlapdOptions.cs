namespace Poolhouse.Tool.Servers;

/// <summary>The settings of a <see cref="TemporarySlapd"/>.</summary>
internal sealed class TemporarySlapdOptions
{
    /// <summary>The name above all entries.</summary>
    public string BaseDn { get; init; } = "dc=example,dc=org";

    /// <summary>
    /// The password of the administrator; random by default. It is in the configuration, which only the server's account can
    /// read.
    /// </summary>
    public string AdminPassword { get; init; } = ServerPassword.Create();

    /// <summary>The entries at first, that of <see cref="BaseDn"/> among them, as LDIF; null: only that one.</summary>
    public string? Ldif { get; init; }

    /// <summary>Whether anonymous clients may read. Authenticated clients may; passwords cannot be read.</summary>
    public bool AllowAnonymousSearch { get; init; } = true;

    /// <summary>After how long without an operation the server ends a connection; whole seconds, zero: never.</summary>
    public TimeSpan IdleTimeout { get; init; }

    /// <summary>
    /// Files with the server's certificate, its key, and the authority that signed it, as PEM; null: no StartTLS and no ldaps.
    /// </summary>
    public (string Certificate, string Key, string Authority)? Tls { get; init; }

    /// <summary>More lines for the beginning of slapd.conf, such as <c>sizelimit 10</c>.</summary>
    public IReadOnlyList<string> Settings { get; init; } = [];
}
