using System.Data;
using Dapper;

namespace Poolhouse.Data.Tests.Differential;

internal static class DapperScripts
{
    public static IReadOnlyDictionary<string, Func<CallRecorder, Task>> All { get; } =
        new Dictionary<string, Func<CallRecorder, Task>>(StringComparer.Ordinal)
        {
            ["Dapper: execute and query"] = QueriesAsync,
            ["Dapper: on a closed connection"] = ClosedAsync,
            ["Dapper: unbuffered"] = UnbufferedAsync,
            ["Dapper: multi-mapping"] = MultiMappingAsync,
            ["Dapper: several results"] = SeveralAsync,
            ["Dapper: transactions"] = TransactionsAsync,
            ["Dapper: parameters and failures"] = ParametersAsync,
            ["Dapper: readers"] = ReadersAsync,
        };

    private const string People =
        "SELECT 1 AS Id, 'Ann' AS Name, 10 AS Id, 'Rome' AS Name UNION ALL SELECT 2, 'Bob', 20, 'Oslo' ORDER BY 1";

    private static async Task QueriesAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        connection.Execute("CREATE TEMPORARY TABLE people (id INTEGER, name TEXT)");
        var rows = new[] { new { id = 1, name = "Ann" }, new { id = 2, name = "Bob" } };
        const string Insert = "INSERT INTO people VALUES (@id, @name)";
        access.Note("inserted", access.IsAsync ? await connection.ExecuteAsync(Insert, rows) : connection.Execute(Insert, rows));
        const string Everybody = "SELECT id, name FROM people ORDER BY id";
        var people = access.IsAsync
            ? await connection.QueryAsync<(int Id, string Name)>(Everybody)
            : connection.Query<(int Id, string Name)>(Everybody);
        access.Note("people", people.Select(person => $"{person.Id} {person.Name}"));
        access.Note(
            "count", access.IsAsync
                ? await connection.ExecuteScalarAsync<int>("SELECT count(*) FROM people")
                : connection.ExecuteScalar<int>("SELECT count(*) FROM people"));
        const string One = "SELECT name FROM people WHERE id = @id";
        access.Note(
            "one", access.IsAsync
                ? await connection.QuerySingleAsync<string>(One, new { id = 2 })
                : connection.QuerySingle<string>(One, new { id = 2 }));
        access.Note(
            "first", access.IsAsync ? await connection.QueryFirstAsync<int>(Everybody) : connection.QueryFirst<int>(Everybody));
        access.Note(
            "none", access.IsAsync
                ? await connection.QueryFirstOrDefaultAsync<string>(One, new { id = 9 })
                : connection.QueryFirstOrDefault<string>(One, new { id = 9 }));
        await access.TryAsync("not single", () => connection.QuerySingle<int>(Everybody));
        var dynamic = access.IsAsync ? await connection.QueryAsync(Everybody) : connection.Query(Everybody);
        access.Note("dynamic", dynamic.Select(row => (object?)((IDictionary<string, object?>)row)["name"]));
    }

    private static async Task ClosedAsync(CallRecorder access)
    {
        await using var connection = access.Source.CreateConnection();
        access.NoteChanges(connection, static (_, _, to) => to.ToString());
        access.Note("query", access.IsAsync ? await connection.QueryAsync<int>("SELECT 1") : connection.Query<int>("SELECT 1"));
        access.Note("state", connection.State.ToString());
        access.Note(
            "scalar",
            access.IsAsync ? await connection.ExecuteScalarAsync<int>("SELECT 2") : connection.ExecuteScalar<int>("SELECT 2"));
        access.Note("unbuffered", connection.Query<int>("SELECT 3", buffered: false));
        access.Note("state", connection.State.ToString());
        await access.TryAsync("failure", () => connection.Query<int>("SELEC 1"));
        access.Note("state", connection.State.ToString());
    }

    private static async Task UnbufferedAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        const string Numbers = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 ORDER BY 1";
        if (access.IsAsync)
        {
            await foreach (var number in connection.QueryUnbufferedAsync<int>(Numbers))
            {
                access.Note("number", number);
            }

            await foreach (var number in connection.QueryUnbufferedAsync<int>(Numbers))
            {
                access.Note("only", number);
                break;
            }
        }
        else
        {
            access.Note("numbers", connection.Query<int>(Numbers, buffered: false));
            access.Note("only", connection.Query<int>(Numbers, buffered: false).First());
        }

        access.Note("goes on", await connection.QuerySingleAsync<int>("SELECT 4"));
    }

    private static async Task MultiMappingAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var pairs = access.IsAsync
            ? await connection.QueryAsync<Person, City, string>(
                People, static (person, city) => $"{person.Name} in {city.Name} {city.Id}", splitOn: "Id")
            : connection.Query<Person, City, string>(
                People, static (person, city) => $"{person.Name} in {city.Name} {city.Id}", splitOn: "Id");
        access.Note("pairs", pairs);
    }

    private static async Task SeveralAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        const string Several = "SELECT 1; SELECT 'a' UNION ALL SELECT 'b' ORDER BY 1; SELECT 3";
        await using var results =
            access.IsAsync ? await connection.QueryMultipleAsync(Several) : connection.QueryMultiple(Several);
        access.Note("first", access.IsAsync ? await results.ReadSingleAsync<int>() : results.ReadSingle<int>());
        access.Note("second", access.IsAsync ? await results.ReadAsync<string>() : results.Read<string>());
        access.Note("consumed", results.IsConsumed);
        access.Note("third", access.IsAsync ? await results.ReadSingleAsync<int>() : results.ReadSingle<int>());
        access.Note("consumed", results.IsConsumed);
    }

    private static async Task TransactionsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        connection.Execute("CREATE TEMPORARY TABLE z (a INTEGER)");
        foreach (var commits in new[] { false, true })
        {
            await using var transaction = await access.BeginAsync(connection);
            access.Note("inserted", access.IsAsync
                ? await connection.ExecuteAsync("INSERT INTO z VALUES (@a)", new { a = 1 }, transaction)
                : connection.Execute("INSERT INTO z VALUES (@a)", new { a = 1 }, transaction));
            await (commits ? access.CommitAsync(transaction) : access.RollbackAsync(transaction));
        }

        access.Note("count", connection.ExecuteScalar<int>("SELECT count(*) FROM z"));
    }

    private static async Task ParametersAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var parameters = new DynamicParameters();
        parameters.Add("a", 5, DbType.Int32);
        parameters.Add("b", "text");
        var text = access.IsPostgres ? "SELECT @a::int || @b::text"
            : access.IsSqlServer ? "SELECT CONCAT(@a, @b)" : "SELECT @a || @b";
        access.Note(
            "dynamic", access.IsAsync
                ? await connection.QuerySingleAsync<string>(text, parameters)
                : connection.QuerySingle<string>(text, parameters));
        var among = "SELECT n FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) t WHERE n " +
            (access.IsPostgres ? "= ANY(@ns)" : "IN @ns") + " ORDER BY n";
        access.Note("list", connection.Query<int>(among, new { ns = new[] { 1, 3 } }));
        access.Note("no column", connection.QuerySingle<int?>("SELECT NULL"));
        await access.TryAsync(
            "failure", async () => access.IsAsync
                ? await connection.QueryAsync<int>("SELECT * FROM nowhere")
                : connection.Query<int>("SELECT * FROM nowhere"));
        if (access.IsPostgres)
        {
            connection.Execute(
                "CREATE OR REPLACE PROCEDURE pg_temp.twice(INOUT n int) LANGUAGE plpgsql AS 'BEGIN n := 2 * n; END'");
            access.Note(
                "procedure",
                connection.QuerySingle<int>("pg_temp.twice", new { n = 4 }, commandType: CommandType.StoredProcedure));
        }
    }

    private static async Task ReadersAsync(CallRecorder access)
    {
        await using var connection = access.Source.CreateConnection();
        using (var reader = access.IsAsync
            ? await connection.ExecuteReaderAsync("SELECT 1 AS a, 2 AS b")
            : connection.ExecuteReader("SELECT 1 AS a, 2 AS b"))
        {
            access.Note("read", reader.Read());
            access.Note("b", reader.GetInt32(1));
        }

        access.Note("state", connection.State.ToString());
        await access.OpenAsync(connection);
        using (var reader = await connection.ExecuteReaderAsync(People))
        {
            var parse = reader.GetRowParser<Person>();
            while (await reader.ReadAsync())
            {
                access.Note("parsed", parse(reader).Name);
            }
        }
    }

    private sealed class Person
    {
        public int Id { get; set; }

        public string Name { get; set; } = string.Empty;
    }

    private sealed class City
    {
        public int Id { get; set; }

        public string Name { get; set; } = string.Empty;
    }
}
