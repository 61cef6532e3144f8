namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>Lists and ends the sessions of a pool on its server, as an administrator.</summary>
internal interface ISessionWatch : IAsyncDisposable
{
    /// <summary>How many sessions of this name there are.</summary>
    ValueTask<long> CountAsync(string sessionName);

    /// <summary>The number of each of them, and what it does.</summary>
    ValueTask<IReadOnlyList<string>> ListAsync(string sessionName);

    /// <summary>How many of them execute a statement now.</summary>
    ValueTask<long> CountBusyAsync(string sessionName);

    /// <summary>Ends up to so many of them, and waits until they are gone.</summary>
    Task<long> TerminateAsync(string sessionName, int atMost = int.MaxValue);
}
