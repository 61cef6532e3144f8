using System.Data;
using System.Data.Common;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// A command or batch, as <see cref="CommandRunner"/> and its readers see it: it is busy until the reader is closed.
/// </summary>
internal interface IExecutable
{
    /// <summary>Begins an execution on the provider's connection. Ends with <see cref="Leave"/>.</summary>
    (PooledConnection Connection, PhysicalConnection Physical) Enter();

    void Leave(PhysicalConnection physical);

    DbDataReader ExecuteInner(CommandBehavior behavior);

    Task<DbDataReader> ExecuteInnerAsync(CommandBehavior behavior, CancellationToken cancellationToken);

    void ReaderOpened();

    void ReaderClosed(PhysicalConnection physical);

    /// <summary>
    /// Called when the lease ends while the reader is open: the provider's command belongs to the reset from now on.
    /// </summary>
    /// <returns>Cancels the command.</returns>
    Action SetAside();
}
