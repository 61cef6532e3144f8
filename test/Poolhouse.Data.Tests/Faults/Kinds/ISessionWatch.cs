namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>Lists and ends the sessions of a pool on its server, as an administrator.</summary>
internal interface ISessionWatch : IAsyncDisposable
{
    /// <summary>The number of sessions of this name.</summary>
    ValueTask<long> CountAsync(string sessionName);

    /// <summary>The ID of each of them, and its activity.</summary>
    ValueTask<IReadOnlyList<string>> ListAsync(string sessionName);

    /// <summary>The number of them that execute a statement now.</summary>
    ValueTask<long> CountBusyAsync(string sessionName);

    /// <summary>Ends up to the given number of them, and waits until they are gone.</summary>
    Task<long> TerminateAsync(string sessionName, int atMost = int.MaxValue);
}
