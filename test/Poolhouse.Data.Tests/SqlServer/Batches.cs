using Poolhouse.Data.Providers.Resets;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>Which batches need nothing but the reset of the protocol.</summary>
public sealed class Batches
{
    [Theory]
    [InlineData("SELECT 1")]
    [InlineData("select * from t where a = 'BEGIN TRAN; it''s' and [USE] = \"EXEC\" -- SET NOEXEC ON")]
    [InlineData(";WITH c AS (SELECT 1 AS x) SELECT x FROM c;")]
    [InlineData("/* SET /* nested */ TRAN */ SELECT 1")]
    [InlineData("-- a tag\nSELECT 1")]
    [InlineData("INSERT INTO t (a) VALUES (@a); SELECT SCOPE_IDENTITY()")]
    [InlineData("SET NOCOUNT ON;\r\nINSERT INTO t (a) OUTPUT INSERTED.id VALUES (@a);")]
    [InlineData("SET IMPLICIT_TRANSACTIONS OFF;\r\nSET NOCOUNT ON;\r\nINSERT INTO [t] ([a]) OUTPUT INSERTED.[id] VALUES (@p0);")]
    [InlineData("UPDATE t SET a = 1, b += 2 WHERE c = 3")]
    [InlineData("UPDATE t SET [a] = 1")]
    [InlineData("UPDATE t SET t.a = 1 FROM t")]
    [InlineData("DECLARE @x INT = 1 SET @x = 2 SELECT @x")]
    [InlineData("MERGE t USING s ON t.a = s.a WHEN MATCHED THEN DELETE;")]
    [InlineData("SELECT a FROM t ORDER BY a OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY")]
    [InlineData("SELECT CASE WHEN a = 1 THEN 2 END FROM t")]
    [InlineData("SELECT begin_date, use_count FROM t")]
    [InlineData("SELECT 0x2A, 1e5, N'ü'")]
    public void Plain(string batch) => Assert.True(TransactSql.IsPlain(batch));

    [Theory]
    [InlineData("")]
    [InlineData(" ; ")]
    [InlineData("sp_who")]
    [InlineData("dbo.make_coffee 1")]
    [InlineData("[make coffee]")]
    [InlineData("EXEC make_coffee")]
    [InlineData("INSERT INTO t EXEC make_coffee")]
    [InlineData("SELECT 1 BEGIN TRAN")]
    [InlineData("SELECT 1\nSET TRANSACTION ISOLATION LEVEL SERIALIZABLE")]
    [InlineData("SELECT 1 SET NOEXEC ON")]
    [InlineData("SELECT 1 SET IMPLICIT_TRANSACTIONS ON")]
    [InlineData("SELECT 1 SET LOCK_TIMEOUT -1")]
    [InlineData("UPDATE STATISTICS t SET LANGUAGE German")]
    [InlineData("SELECT 1 AS x INTO #mine")]
    [InlineData("SELECT * FROM #mine")]
    [InlineData("SELECT 1 USE warehouse")]
    [InlineData("SELECT 1;EXECUTE AS USER = 'guest'")]
    [InlineData("DECLARE c CURSOR FOR SELECT 1")]
    [InlineData("SELECT 1 REVERT")]
    [InlineData("SELECT 'no end")]
    [InlineData("SELECT 1 /* no /* end */")]
    [InlineData("SELECT [no end")]
    [InlineData("COMMIT")]
    [InlineData("IF 1 = 1 SELECT 1")]
    public void Not_plain(string batch) => Assert.False(TransactSql.IsPlain(batch));
}
