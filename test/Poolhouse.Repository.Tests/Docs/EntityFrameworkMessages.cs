using System.Data.Common;
using System.Transactions;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes the pool of Entity Framework's contexts throw each of its messages, once.</summary>
internal static class EntityFrameworkMessages
{
    private const string ConnectionString = "Host=localhost;Database=one;Pooling=false";
    private const string Two = "Host=localhost;Database=two;Pooling=false";

    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["no provider yet"] = () => Open(static (options, pool) => options.UsePoolhouse(pool).UseNpgsql(ConnectionString)),
        ["services of the application's own"] = OpenWithOwnServices,
        ["set while open"] = () => Use(static context => context.Database.SetDbConnection(new StubConnection())),
        ["a scope that is pending"] = UseOutsideOfScope,
        ["changed by an interceptor"] =
            () => Open(static (options, pool) => options.UseNpgsql(Two).UsePoolhouse(pool).AddInterceptors(new Changing())),
        ["returned by another context"] = UseWhatIsReturned,
        ["no registered pool"] = static () => FindPool(),
        ["no registered pool of the name"] = static () => FindPool("three", "one"),
        ["several registered pools"] = static () => FindPool(null, "one", "two"),
        ["a type that the pool does not know"] = UseUnmappedType,
        ["another database"] = () => Open(static (options, pool) => options.UseNpgsql(ConnectionString).UsePoolhouse(pool)),
    };

    private static void FindPool(string? name = null, params string[] registered)
    {
        var services = new ServiceCollection();
        foreach (var other in registered)
        {
            services.AddKeyedSingleton(other, (_, _) => DbConnectionPool.Create<StubConnection>(
                static () => new StubConnection(),
                new DbPoolOptions { Reset = SessionReset.None, Pool = new() { MaxSize = 1, Name = other } }));
        }

        using var provider = services.BuildServiceProvider();
        new DbContextOptionsBuilder().UseNpgsql(ConnectionString).UsePoolhouse<StubConnection>(provider, name);
    }

    private static void UseOutsideOfScope()
    {
        using var scope = new TransactionScope();
        Use(static context =>
        {
            context.Database.CloseConnection();
            using var suppressed = new TransactionScope(TransactionScopeOption.Suppress);
            context.Database.OpenConnection();
        });
    }

    private static void UseWhatIsReturned()
    {
        SqliteConnection? rented = null;
        using var pool = DbConnectionPool.Create<SqliteConnection>(
            () => rented = new SqliteConnection("Data Source=:memory:;Pooling=false"),
            new DbPoolOptions { Reset = SessionReset.Sqlite });
        var options = new DbContextOptionsBuilder().UseNpgsql("Host=localhost;Pooling=false").UsePoolhouse(pool).Options;
        using (var first = new DbContext(options))
        {
            first.Database.OpenConnection();
        }

        using var second = new DbContext(options);
        second.Database.SetDbConnection(rented);
        second.Database.ExecuteSqlRaw("SELECT 1");
    }

    // Reported as Entity Framework reports the failure of a command, because there is no server here with such a type.
    private static void UseUnmappedType()
    {
        using var pool = DbConnectionPool.Create<SqliteConnection>(
            static () => new SqliteConnection("Data Source=:memory:;Pooling=false"),
            new DbPoolOptions { Reset = SessionReset.Sqlite });
        using var context = new DbContext(
            new DbContextOptionsBuilder().UseNpgsql("Host=localhost;Pooling=false").UsePoolhouse(pool).Options);
        context.Database.OpenConnection();
        using var command = context.Database.GetDbConnection().CreateCommand();
        context.GetService<IRelationalCommandDiagnosticsLogger>().CommandError(
            context.GetService<IRelationalConnection>(), command, "", context, DbCommandMethod.ExecuteNonQuery, Guid.Empty,
            Guid.Empty, new InvalidCastException("The type is not mapped."), DateTimeOffset.UnixEpoch, TimeSpan.Zero,
            CommandSource.SaveChanges);
    }

    private static void OpenWithOwnServices()
    {
        using var services = new ServiceCollection().AddEntityFrameworkNpgsql().BuildServiceProvider();
        Open((options, pool) => options.UseNpgsql(ConnectionString).UsePoolhouse(pool).UseInternalServiceProvider(services));
    }

    private static void Use(Action<DbContext> use) =>
        Open(static (options, pool) => options.UseNpgsql(Two).UsePoolhouse(pool), use);

    private static void Open(
        Action<DbContextOptionsBuilder, DbConnectionPool<StubConnection>> configure, Action<DbContext>? use = null)
    {
        using var pool = DbConnectionPool.Create<StubConnection>(
            static () => new StubConnection(), new DbPoolOptions { Reset = SessionReset.None });
        var options = new DbContextOptionsBuilder();
        configure(options, pool);
        using var context = new DbContext(options.Options);
        context.Database.OpenConnection();
        use?.Invoke(context);
    }

    private sealed class Changing : DbConnectionInterceptor
    {
        public override InterceptionResult ConnectionOpening(
            DbConnection connection, ConnectionEventData eventData, InterceptionResult result)
        {
            connection.ConnectionString += ";Application Name=another";
            return result;
        }
    }
}
