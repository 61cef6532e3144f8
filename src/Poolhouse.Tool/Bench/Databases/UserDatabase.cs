using System.Data.Common;
using Poolhouse.Data;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>A database of the user's, through one of the drivers in <see cref="Driver"/>.</summary>
internal sealed class UserDatabase(Driver driver, string connectionString) : Database
{
    private readonly Lazy<string> _version = new(() => ReadVersion(driver, connectionString));

    public override DatabaseKind Kind => driver.Kind;

    public override string Name => $"{Kind.Title()} {_version.Value}";

    public override bool IsAsynchronous => driver.IsAsynchronous;

    public override bool HasProviderPool => driver.ClearPool is not null;

    public override string SmallQuery => driver.SmallQuery;

    // No experiment with these databases needs more.
    public override string BriefQuery => SmallQuery;

    public override string WorkingQuery => SmallQuery;

    protected override SessionReset? ResetLikeProvider => null;

    public override DbDataSource OpenWithoutPool(string tag) => Source(StringFor(isPooled: false), static _ => { });

    public override int? CountConnections(string tag) => null;

    public override int? CountRoom() => null;

    public override void Dispose()
    {
        // Every source has closed its connections.
    }

    protected override DbDataSource OpenProviderPool(SourceSettings settings) =>
        Source(StringFor(isPooled: true, settings.MaxSize), driver.ClearPool!);

    protected override DbDataSource OpenPoolhouse(SourceSettings settings) =>
        PoolhouseSource.Create(driver.Factory, StringFor(isPooled: true, settings.MaxSize), settings);

    private static string ReadVersion(Driver driver, string connectionString)
    {
        using var connection = driver.Factory.CreateConnection()!;
        connection.ConnectionString = connectionString;
        connection.Open();

        // What follows the number names a package or a host.
        return connection.ServerVersion.Split(' ')[0];
    }

    private ProviderSource<DbConnection> Source(string text, Action<DbConnection> clearPool) => new(
        text,
        connectionString =>
        {
            var connection = driver.Factory.CreateConnection()!;
            connection.ConnectionString = connectionString;
            return connection;
        },
        clearPool);

    private string StringFor(bool isPooled, int size = 1)
    {
        var builder = driver.Parse(connectionString);
        if (HasProviderPool)
        {
            builder["Pooling"] = isPooled;
            builder["Max Pool Size"] = size;
        }

        return builder.ConnectionString;
    }
}
