using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>A wrapper around an object of a provider's open connection, which must release it when the lease ends.</summary>
// The bound wrappers of a lease form a list linked through themselves: usually a command and a reader, newest first.
internal interface ILeaseBound
{
    ILeaseBound? NextBound { get; set; }

    /// <summary>Whether nothing of it runs or is open, so that the end of the lease has nothing to do.</summary>
    bool IsIdle { get; }

    /// <summary>
    /// Called when the lease ends: from now on, no use of the wrapper reaches the connection (I9). Open objects are left to
    /// the reset. No I/O.
    /// </summary>
    /// <returns>False if the connection cannot be used again.</returns>
    bool TryDetach(PhysicalConnection physical);

    /// <summary>
    /// Requests the provider to cancel running work. Called in the background, after a lease that ended during a statement.
    /// </summary>
    void CancelRunning(PhysicalConnection physical)
    {
    }
}
