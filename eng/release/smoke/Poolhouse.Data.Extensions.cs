// sdk: Microsoft.NET.Sdk.Web
// package: Microsoft.Data.Sqlite
using System.Data.Common;
using Microsoft.Data.Sqlite;

// The provider finds its native library by reflection, which trimming does not see.
SQLitePCL.Batteries_V2.Init();
var builder = WebApplication.CreateSlimBuilder();
builder.Services.AddPooledDataSource(SqliteFactory.Instance, "Data Source=:memory:");
await using var app = builder.Build();
await using var command = app.Services.GetRequiredService<DbDataSource>().CreateCommand("SELECT 42");
Console.WriteLine(await command.ExecuteScalarAsync() is 42L ? "OK Poolhouse.Data.Extensions" : "not OK");
