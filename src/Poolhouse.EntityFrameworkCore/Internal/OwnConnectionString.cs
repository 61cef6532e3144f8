using System.Data;
using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// The connection string of a context's own connection. Providers remove the password from the string of a connection that was
/// open, and it is needed again to create a database.
/// </summary>
/// <param name="isConfigured">Whether the context was configured with a string, and not with a data source.</param>
// Not concurrent, like a context.
internal sealed class OwnConnectionString(bool isConfigured)
{
    private string? _recorded;

    // The string that could not be restored, because the application had the connection open.
    private string? _missing;

    /// <summary>Called before the context uses another connection, or its own without the pool.</summary>
    public void Record(IRelationalConnection relational)
    {
        var missing = _missing;
        _missing = null;
        Restore(relational, missing);
        _recorded = relational.ConnectionString;
    }

    /// <summary>Called when the context uses its own connection again.</summary>
    public void Restore(IRelationalConnection relational) => Restore(relational, _recorded);

    /// <summary>Called when the application has set another string or connection.</summary>
    public void Forget() => _missing = null;

    // Even if the string is still equal: Entity Framework no longer knows that it has its own after another
    // connection was set, and the connection's string has no password once it was open. That of a data source never has one, and
    // must not be set.
    private void Restore(IRelationalConnection relational, string? connectionString)
    {
        if (connectionString is null)
        {
            return;
        }

        var isCurrent = string.Equals(relational.ConnectionString, connectionString, StringComparison.Ordinal);
        if (isCurrent && !isConfigured)
        {
            return;
        }

        if (relational.DbConnection.State is not ConnectionState.Closed)
        {
            _missing = isCurrent ? null : connectionString;
            return;
        }

        try
        {
            relational.ConnectionString = connectionString;
        }
        catch (ObjectDisposedException)
        {
            // The application disposed the connection. The work on the rented one succeeded.
        }
    }
}
