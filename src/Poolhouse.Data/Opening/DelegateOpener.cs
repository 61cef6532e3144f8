using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>Opens connections that a delegate creates.</summary>
internal sealed class DelegateOpener(Func<DbConnection> create) : IConnectionOpener
{
    public async ValueTask<OpenedConnection> OpenAsync(CancellationToken cancellationToken)
    {
        var connection = Create();
        try
        {
            await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
            return new OpenedConnection(connection);
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public OpenedConnection Open(CancellationToken cancellationToken)
    {
        var connection = Create();
        try
        {
            connection.Open();
            return new OpenedConnection(connection);
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    private DbConnection Create() =>
        create() ?? throw new InvalidOperationException(
            "The delegate that creates connections returned null. Return a new, closed connection each time.");
}
