namespace Poolhouse.Data;

/// <summary>What a provider, or a pool over it, cannot do.</summary>
[Flags]
public enum DbProviderLimits
{
    /// <summary>Nothing is missing.</summary>
    None = 0,

    /// <summary>
    /// Settings, temporary tables and locks can reach the next user: only transactions are rolled back.
    /// </summary>
    SessionState = 1,

    /// <summary>Connections cannot join a <see cref="System.Transactions.TransactionScope"/>.</summary>
    Scopes = 2,

    /// <summary>A statement in progress cannot be cancelled.</summary>
    Cancellation = 4,

    /// <summary>The provider does not end a statement at its timeout.</summary>
    Timeouts = 8,

    /// <summary>The database runs in the process: there is no server that could end a session or restart.</summary>
    Server = 16,
}
