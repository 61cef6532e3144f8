using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using Npgsql;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

public sealed class TemporaryPostgresServers
{
    private const string OneSession = ";Pooling=false;Timeout=30;Command Timeout=30";

    [Fact]
    public async Task A_server_answers_under_its_connection_string_on_loopback_only()
    {
        await using var server = await PostgresServer.StartOwnAsync();

        Assert.Equal("127.0.0.1", await QueryAsync(server, "SHOW listen_addresses"));
        Assert.Equal("", await QueryAsync(server, "SHOW unix_socket_directories"));
        Assert.Equal(server.User, await QueryAsync(server, "SELECT current_user::text"));
    }

    [Fact]
    public async Task Settings_and_connection_limit_are_as_requested()
    {
        await using var server = await PostgresServer.StartOwnAsync(new TemporaryPostgresOptions
        {
            MaxConnections = 7,
            Settings =
                new Dictionary<string, string>(StringComparer.Ordinal) { ["idle_session_timeout"] = "90s", ["fsync"] = "on" },
        });

        Assert.Equal("7", await QueryAsync(server, "SHOW max_connections"));
        Assert.Equal("90s", await QueryAsync(server, "SHOW idle_session_timeout"));
        Assert.Equal("on", await QueryAsync(server, "SHOW fsync"));
    }

    [Fact]
    public async Task A_server_with_a_password_refuses_another_password()
    {
        await using var server = await PostgresServer.StartOwnAsync(new TemporaryPostgresOptions { Password = "s3cret; 'word'" });

        Assert.Equal("1", await QueryAsync(server, "SELECT '1'"));
        var wrong = new NpgsqlConnectionStringBuilder(server.ConnectionString + OneSession) { Password = "other" };
        var refusal = await Assert.ThrowsAsync<PostgresException>(() => QueryAsync(wrong.ConnectionString, "SELECT '1'"));
        Assert.Equal(PostgresErrorCodes.InvalidPassword, refusal.SqlState);
    }

    [Fact]
    public async Task A_stopped_server_refuses_connections_and_a_started_one_has_its_port_and_data_again()
    {
        await using var server = await PostgresServer.StartOwnAsync();
        await QueryAsync(server, "CREATE TABLE kept AS SELECT 'yes' AS answer");
        var port = server.Port;

        await server.StopAsync();
        Assert.False(server.IsRunning);
        await Assert.ThrowsAsync<NpgsqlException>(() => QueryAsync(server, "SELECT '1'"));

        await server.StartAgainAsync();
        Assert.Equal(port, server.Port);
        Assert.Equal("yes", await QueryAsync(server, "SELECT answer FROM kept"));
    }

    [Fact]
    public async Task What_was_committed_outlives_an_immediate_stop()
    {
        await using var server = await PostgresServer.StartOwnAsync();
        await QueryAsync(server, "CREATE USER kept");

        await server.RestartAsync(PostgresStop.Immediate);

        Assert.Equal("kept", await QueryAsync(server, "SELECT rolname::text FROM pg_roles WHERE rolname = 'kept'"));
    }

    [Fact]
    public async Task A_fast_restart_ends_connections_with_an_administrator_error()
    {
        await using var server = await PostgresServer.StartOwnAsync();
        await using var connection = new NpgsqlConnection(server.ConnectionString + OneSession);
        await connection.OpenAsync();

        await server.RestartAsync(PostgresStop.Fast);

        await using var command = new NpgsqlCommand("SELECT 1", connection);
        var end = await Assert.ThrowsAsync<PostgresException>(() => command.ExecuteScalarAsync());
        Assert.Equal(PostgresErrorCodes.AdminShutdown, end.SqlState);
        Assert.Equal("1", await QueryAsync(server, "SELECT '1'"));
    }

    [Fact]
    public async Task An_immediate_restart_recovers_like_after_a_crash()
    {
        await using var server = await PostgresServer.StartOwnAsync();

        await server.RestartAsync(PostgresStop.Immediate);

        Assert.Equal("1", await QueryAsync(server, "SELECT '1'"));
        Assert.Contains("automatic recovery in progress", server.ReadLog(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_frozen_server_answers_only_after_it_is_resumed()
    {
        await using var server = await PostgresServer.StartOwnAsync();
        await using var connection = new NpgsqlConnection(server.ConnectionString + OneSession);
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand("SELECT 1", connection);

        server.Freeze();
        var processes = ProcessesOf(server).ToList();
        var answer = command.ExecuteScalarAsync();

        Assert.True(processes.Count > 1);
        Assert.All(processes, process => Assert.Equal("T", FieldsOf(process)[0]));
        Assert.False(answer.IsCompleted);
        server.Thaw();
        Assert.Equal(1, await answer);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task After_disposal_no_process_folder_or_port_remains(bool frozen)
    {
        var server = await PostgresServer.StartOwnAsync();
        var processes = ProcessesOf(server).ToList();
        if (frozen)
        {
            server.Freeze();
        }

        await server.DisposeAsync();
        await server.DisposeAsync();

        Assert.False(Directory.Exists(server.Folder));
        Assert.All(processes, process => Assert.Throws<ArgumentException>(() => Process.GetProcessById(process)));
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        Assert.Throws<SocketException>(() => socket.Connect("127.0.0.1", server.Port));
    }

    [Fact]
    public async Task A_blocking_disposal_does_the_same()
    {
        var server = await PostgresServer.StartOwnAsync();

        server.Dispose();

        Assert.False(server.IsRunning);
        Assert.False(Directory.Exists(server.Folder));
    }

    [Fact]
    public async Task A_server_that_cannot_start_leaves_nothing_behind_and_shows_its_log()
    {
        var settings = new Dictionary<string, string>(StringComparer.Ordinal) { ["shared_buffers"] = "much" };

        var failure = await Assert.ThrowsAsync<ServerFailedException>(
            () => PostgresServer.StartOwnAsync(new TemporaryPostgresOptions { Settings = settings }));

        Assert.Contains("invalid value for parameter \"shared_buffers\"", failure.Message, StringComparison.Ordinal);
    }

    private static Task<string?> QueryAsync(TemporaryPostgres server, string sql) =>
        QueryAsync(server.ConnectionString + OneSession, sql);

    private static async Task<string?> QueryAsync(string connectionString, string sql)
    {
        await using var source = NpgsqlDataSource.Create(connectionString);
        await using var command = source.CreateCommand(sql);
        return (string?)await command.ExecuteScalarAsync();
    }

    private static IEnumerable<int> ProcessesOf(TemporaryPostgres server) => Process.GetProcesses()
        .Select(process => process.Id)
        .Where(id => id == server.ProcessId || ParentOf(id) == server.ProcessId);

    private static int ParentOf(int process) =>
        FieldsOf(process) is [_, var parent, ..] ? int.Parse(parent, CultureInfo.InvariantCulture) : 0;

    private static string[] FieldsOf(int process)
    {
        try
        {
            var text = File.ReadAllText($"/proc/{process}/stat");
            return text[(text.LastIndexOf(')') + 2)..].Split(' ');
        }
        catch (IOException)
        {
            return [];
        }
    }
}
