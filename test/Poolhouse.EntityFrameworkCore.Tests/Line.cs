namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class Line
{
    public int Id { get; set; }

    public int OrderId { get; set; }

    public int Amount { get; set; }
}
