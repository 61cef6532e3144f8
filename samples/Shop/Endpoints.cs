using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.Shop;

/// <summary>What the shop offers over HTTP.</summary>
internal static class Endpoints
{
    public static void MapShop(this WebApplication app)
    {
        app.MapGet("/cups", (Catalog catalog, CancellationToken token) => catalog.ReadAsync(token));

        app.MapPost("/orders", async (Order order, HttpRequest request, ILogin login, IOrderBook book, CancellationToken token) =>
        {
            if (!await login.IsAllowedAsync(order.Customer, request.Headers["X-Password"].ToString(), token))
            {
                return Results.Unauthorized();
            }

            await book.AddAsync(order, token);
            return Results.Created();
        });

        app.MapGet(
            "/orders/{customer}", (string customer, IOrderBook book, CancellationToken token) => book.OfAsync(customer, token));

        app.MapGet("/orders/{customer}/receipt", async (
            string customer, string currency, IOrderBook book, Catalog catalog, Rates rates, ObjectPool<Receipt> receipts,
            HttpResponse response, CancellationToken token) =>
        {
            var orders = await book.OfAsync(customer, token);
            var prices = (await catalog.ReadAsync(token)).ToDictionary(cup => cup.Name, cup => cup.Cents, StringComparer.Ordinal);
            var rate = await rates.GetAsync(currency, token);
            var receipt = receipts.Get();
            try
            {
                receipt.Add(orders, prices, rate, currency);

                // The bytes of the answer live in a pooled array, which returns when the lease ends.
                using var bytes = TieredArrayPool<byte>.Shared.RentExact(receipt.MaxBytes);
                var length = receipt.CopyTo(bytes.Span);
                response.ContentType = "text/plain; charset=utf-8";
                await response.Body.WriteAsync(bytes.Memory[..length], token);
            }
            finally
            {
                receipts.Return(receipt);
            }
        });

        // Stands in for the other company's server.
        app.MapGet("/rates/{currency}", (string currency) => currency switch { "EUR" => 1.0m, "USD" => 1.1m, _ => 2.0m });
    }
}
