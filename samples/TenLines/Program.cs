// snippet: ten-lines
using System.Data.Common;
using System.Text;
using Microsoft.Data.Sqlite;
using Poolhouse;

// Objects: an ObjectPool<T> that does not slow down when threads share it.
using var texts = new TieredObjectPool<StringBuilder>(() => new StringBuilder(), text => text.Clear().Capacity < 4096);

// A database, in an app: any ADO.NET provider, and your code keeps its DbDataSource.
var builder = WebApplication.CreateBuilder(args);
builder.Services.AddPooledDataSource(SqliteFactory.Instance, "Data Source=app.db");

var app = builder.Build();
app.MapGet("/", async (DbDataSource database) =>
{
    await using var connection = await database.OpenConnectionAsync(); // callers wait in order, with a time limit
    using var text = texts.Rent(); // goes back when the block ends, exactly once
    return text.Value.Append("SQLite ").Append(connection.ServerVersion).ToString();
});
app.Run();
// end snippet
