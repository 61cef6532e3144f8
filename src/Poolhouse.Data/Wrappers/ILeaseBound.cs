using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>A wrapper around something of a provider's open connection, which must let go of it when the lease ends.</summary>
// The bound wrappers of a lease are a list linked through themselves: usually a command and a reader, in the order newest first.
internal interface ILeaseBound
{
    ILeaseBound? NextBound { get; set; }

    /// <summary>Whether it is of no interest to anybody but its user: nothing runs or is open that the end of the lease would have to see.</summary>
    bool IsIdle { get; }

    /// <summary>
    /// The lease ends: from now on nothing that is done to the wrapper reaches the connection (I9). What is still open is left to
    /// the reset. No I/O.
    /// </summary>
    /// <returns>False if the connection cannot be used again.</returns>
    bool TryDetach(PhysicalConnection physical);

    /// <summary>Asks the provider to cancel what still runs. Called in the background, after a lease that ended under a running statement.</summary>
    void CancelRunning(PhysicalConnection physical)
    {
    }
}
