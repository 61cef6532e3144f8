// package: Microsoft.Data.Sqlite
using Microsoft.Data.Sqlite;
using Poolhouse.Data;

// The provider finds its native library by reflection, which trimming does not see.
SQLitePCL.Batteries_V2.Init();
await using var source = PooledDataSource.Create(SqliteFactory.Instance, "Data Source=:memory:");
await using var command = source.CreateCommand("SELECT 42");
Console.WriteLine(await command.ExecuteScalarAsync() is 42L ? "OK Poolhouse.Data" : "not OK");
