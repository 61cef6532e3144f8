using System.Runtime.InteropServices;
using Microsoft.Data.Sqlite;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Regressions;

/// <summary>efcore#27529: what one user adds to the provider's own connection reaches the next user.</summary>
public sealed class SqliteCallbacks
{
    private static readonly Dictionary<string, (Action<SqliteConnection> Add, string Look)> _additions =
        new(StringComparer.Ordinal)
        {
            ["function"] = (connection => connection.CreateFunction("secret", () => 42), "SELECT secret()"),
            ["aggregate"] = (connection => connection.CreateAggregate("secret", 0, (int sum, int _) => sum), "SELECT secret(1)"),
            ["collation"] =
                (connection => connection.CreateCollation("secret", string.CompareOrdinal), "SELECT 'a' < 'b' COLLATE secret"),
        };

    // A module without any method, which SQLite refers to until the connection is closed.
    private static readonly IntPtr _module = NewModule();

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int CreateModule(
        IntPtr connection, [MarshalAs(UnmanagedType.LPUTF8Str)] string name, IntPtr module, IntPtr data);

    public static TheoryData<string> Additions => [.. _additions.Keys];

    [Theory]
    [MemberData(nameof(Additions))]
    public async Task Efcore_27529_an_addition_does_not_reach_the_next_user(string addition)
    {
        using var file = new SqliteFile();
        await using var pool = Create(file);
        await using (var lease = await pool.RentAsync())
        {
            _additions[addition].Add(lease.Value);
        }

        await using var next = await pool.RentAsync();

        Assert.Throws<SqliteException>(() => Scalar(next.Value, _additions[addition].Look));
        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.ResetFailed));
    }

    // Only an extension can add one, to which the provider's own handle serves here.
    [Fact]
    public async Task A_module_of_an_extension_does_not_reach_the_next_user()
    {
        const string Look = "SELECT name FROM pragma_module_list WHERE name = 'secret'";
        using var file = new SqliteFile();
        await using var pool = Create(file);
        await using (var lease = await pool.RentAsync())
        {
            AddModule(lease.Value);
            Assert.Equal("secret", Scalar(lease.Value, Look));
        }

        await using var next = await pool.RentAsync();

        Assert.Null(Scalar(next.Value, Look));
        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.ResetFailed));
    }

    [Fact]
    public async Task A_function_that_replaces_one_of_SQLite_or_of_the_initializer_does_not_reach_the_next_user()
    {
        using var file = new SqliteFile();
        await using var pool = Create(file, connection => connection.CreateFunction("tenant", () => "ours"));
        foreach (var replaced in (string[])["tenant", "sqlite_version"])
        {
            await using var lease = await pool.RentAsync();
            lease.Value.CreateFunction(replaced, () => "theirs");
        }

        await using var next = await pool.RentAsync();

        Assert.Equal("ours", Scalar(next.Value, "SELECT tenant()"));
        Assert.NotEqual("theirs", Scalar(next.Value, "SELECT sqlite_version()"));
        Assert.Equal(3, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task Loading_extensions_is_disabled_again()
    {
        using var file = new SqliteFile();
        await using var pool = Create(file);
        string refusal;
        await using (var lease = await pool.RentAsync())
        {
            refusal = Assert.Throws<SqliteException>(() => Scalar(lease.Value, "SELECT load_extension('none')")).Message;
            lease.Value.EnableExtensions();
            Assert.NotEqual(
                refusal, Assert.Throws<SqliteException>(() => Scalar(lease.Value, "SELECT load_extension('none')")).Message);
        }

        await using var next = await pool.RentAsync();

        Assert.Equal(refusal, Assert.Throws<SqliteException>(() => Scalar(next.Value, "SELECT load_extension('none')")).Message);
        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task Functions_of_the_initializer_and_SQLites_own_tables_keep_the_connection()
    {
        using var file = new SqliteFile();
        await using var pool = Create(file, connection => connection.CreateFunction("tenant", () => "ours"));
        for (var i = 0; i < 3; i++)
        {
            await using var lease = await pool.RentAsync();
            Assert.Equal("ours", Scalar(lease.Value, "SELECT tenant()"));
            Scalar(lease.Value, "SELECT count(*) FROM pragma_table_info('x'), json_each('[]'), pragma_foreign_key_list('x')");
        }

        Assert.Equal(1, pool.GetStatistics().Created);
    }

    private static DbConnectionPool<SqliteConnection> Create(SqliteFile file, Action<SqliteConnection>? initialize = null)
    {
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 1;
        if (initialize is not null)
        {
            options.Initialize = (connection, _) =>
            {
                initialize((SqliteConnection)connection);
                return default;
            };
        }

        return new DbConnectionPool<SqliteConnection>(SqliteFactory.Instance, $"Data Source={file.Path}", options);
    }

    private static IntPtr NewModule()
    {
        const int MoreThanItsMethods = 512;
        var module = Marshal.AllocHGlobal(MoreThanItsMethods);
        Marshal.Copy(new byte[MoreThanItsMethods], 0, module, MoreThanItsMethods);
        return module;
    }

    private static void AddModule(SqliteConnection connection)
    {
        var library = NativeLibrary.Load("e_sqlite3", typeof(SQLitePCL.SQLite3Provider_e_sqlite3).Assembly, searchPath: null);
        var create = Marshal.GetDelegateForFunctionPointer<CreateModule>(
            NativeLibrary.GetExport(library, "sqlite3_create_module"));
        Assert.Equal(0, create(connection.Handle!.DangerousGetHandle(), "secret", _module, IntPtr.Zero));
    }

    private static object? Scalar(SqliteConnection connection, string query)
    {
        using var command = connection.CreateCommand();
        command.CommandText = query;
        return command.ExecuteScalar();
    }
}
