using System.Data.Common;
using System.Globalization;

namespace Poolhouse.Data.Providers;

/// <summary>A data source of SqlClient with a pool of its own, for one connection at a time.</summary>
// SqlClient has a pool for each text of a connection string, together with the token or credential of the connection. The text
// begins with a number that no other source in the process has: of a keyword that is repeated, the last value counts.
// Connections are clones of the first one, which has what the connection string cannot hold: a callback for tokens must be the
// same delegate, or SqlClient would use another pool.
internal sealed class SqlClientSource : DbDataSource
{
    private static int _last;

    private readonly DbConnection _first;

    /// <param name="factory">SqlClient's.</param>
    /// <param name="connectionString">For a pool of one connection.</param>
    /// <param name="configure">Sets what the connection string cannot hold; null for nothing.</param>
    public SqlClientSource(DbProviderFactory factory, string connectionString, Action<DbConnection>? configure)
    {
        var number = (Interlocked.Increment(ref _last) & int.MaxValue).ToString(CultureInfo.InvariantCulture);
        _first = factory.CreateConnection()!;
        try
        {
            _first.ConnectionString = $"Max Pool Size={number};{connectionString}";
            configure?.Invoke(_first);
        }
        catch
        {
            _first.Dispose();
            throw;
        }
    }

    public override string ConnectionString => _first.ConnectionString;

    protected override DbConnection CreateDbConnection() => (DbConnection)((ICloneable)_first).Clone();

    /// <summary>Closes the session, at once or as soon as its connection is closed.</summary>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            DbProviderProfile.ClearPool(_first);
            _first.Dispose();
        }

        base.Dispose(disposing);
    }
}
